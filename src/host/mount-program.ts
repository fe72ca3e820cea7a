/** One step of putting a root together; all paths are absolute. */
export type MountStep =
  | readonly ['private']
  | readonly ['root', target: string]
  | readonly ['tmpfs', target: string, options: string]
  | readonly ['device', path: string, target: string]
  | readonly ['link', to: string, at: string]
  | readonly ['mkdir', path: string]
  | readonly ['devpts', target: string]
  | readonly ['readonly', target: string]
  | readonly ['hide', target: string, kind: string]
  | readonly ['bind', path: string, target: string, kind: string, how: string]
  | readonly ['proc', target: string]
  | readonly ['freeze', target: string]
  | readonly ['enter', root: string, folder: string];

/** Numbers of mount(2), umount2(2), pivot_root(2) and keyctl(2), by Node's name of the processor; 0: not known. */
const callNumbers: Readonly<Record<string, readonly number[]>> = {
  x64: [165, 166, 155, 250],
  arm64: [40, 39, 41, 219],
};
const [mountCall = 0, umountCall = 0, pivotCall = 0, keyctlCall = 0] = callNumbers[process.arch] ?? [];

/** close_range(2) has one number everywhere; 1 joins a new session's key ring. 127: no such program. */
const clean = `syscall(436, 3, 0xffffffff, 0); ${keyctlCall} and syscall(${keyctlCall}, 1, 0); exec { $ARGV[0] } @ARGV or exit 127;`;

/** Becomes the command line that it is given, with a key ring of its own and no open files but three. */
export const cleanProgram = clean;

/**
 * Takes the steps as words, then `exec` and a command line, which it becomes with a key ring of its own and no open files but
 * three. One process in place of some forty: that is most of what starting a sandbox costs. Read-only by mount_setattr(2) (442
 * everywhere): it leaves the other flags of a mount alone, which a remount may not drop.
 */
export const mountProgram = [
  `my ($M, $U, $P) = (${mountCall}, ${umountCall}, ${pivotCall});`,
  'sub fail { print STDERR "ccd-sandbox: $_[0]: $!\\n"; exit 126 }',
  'sub mnt { my ($s, $t, $y, $f, $d) = @_; syscall($M, $s, $t, $y, $f + 0, $d) == 0 }',
  'sub must { mnt(@_) or fail("mount $_[1]") }',
  'sub ro { my ($t, $all) = @_; my $a = pack("Q4", 1, 0, 0, 0); syscall(442, -100, $t, $all, $a, 32) == 0 or fail("read-only $t") }',
  'sub folder { my $d = ""; for (grep { length } split m{/}, $_[0]) { $d .= "/$_"; mkdir $d } }',
  'sub file { my $f = $_[0]; (my $d = $f) =~ s{/[^/]*$}{}; folder($d); open(my $h, ">>", $f) or fail($f); close $h }',
  'while (@ARGV) { my $o = shift @ARGV; last if $o eq "exec"; my $t;',
  'if ($o eq "private") { must("none", "/", "none", 0x44000, "") }',
  'elsif ($o eq "root") { $t = shift @ARGV; must("/", $t, "none", 0x5000, ""); ro($t, 0x8000) }',
  'elsif ($o eq "tmpfs") { ($t, my $d) = splice(@ARGV, 0, 2); must("tmpfs", $t, "tmpfs", 0, $d) }',
  'elsif ($o eq "device") { (my $s, $t) = splice(@ARGV, 0, 2); if (-e $s) { file($t); must($s, $t, "none", 0x1000, "") } }',
  'elsif ($o eq "link") { (my $s, $t) = splice(@ARGV, 0, 2); symlink($s, $t) or fail($t) }',
  'elsif ($o eq "mkdir") { $t = shift @ARGV; mkdir($t) or fail($t) }',
  'elsif ($o eq "devpts") { $t = shift @ARGV; mnt("devpts", $t, "devpts", 0, "newinstance,ptmxmode=0666,mode=620") }',
  'elsif ($o eq "readonly") { ro(shift @ARGV, 0) }',
  'elsif ($o eq "hide") { ($t, my $k) = splice(@ARGV, 0, 2); next unless -e $t;',
  'if ($k eq "folder") { must("tmpfs", $t, "tmpfs", 0, "mode=755,size=64k,nr_inodes=1k") } else { must("/dev/null", $t, "none", 0x1000, "") } }',
  'elsif ($o eq "bind") { (my $s, $t, my $k, my $h) = splice(@ARGV, 0, 4); unless (-e $t) { $k eq "folder" ? folder($t) : file($t) }',
  'must($s, $t, "none", 0x1000, ""); ro($t, 0) unless $h eq "writable" }',
  'elsif ($o eq "proc") { must("proc", shift @ARGV, "proc", 0, "") }',
  'elsif ($o eq "freeze") { $t = shift @ARGV; if (-e $t) { must($t, $t, "none", 0x1000, ""); ro($t, 0) } }',
  'elsif ($o eq "enter") { ($t, my $c) = splice(@ARGV, 0, 2); chdir($t) or fail($t); mkdir("tmp/.old");',
  'my ($n, $w) = (".", "tmp/.old"); syscall($P, $n, $w) == 0 or fail("pivot_root"); chdir("/");',
  'my $x = "/tmp/.old"; syscall($U, $x, 2) == 0 or fail("umount"); rmdir($x); chdir($c) or fail($c) }',
  'else { fail("step $o") } }',
  clean,
].join('\n');

/** Ends with 0 where the numbers are known and the kernel has mount_setattr(2): its error is then not "no such call". */
export const mountTrial = `${mountCall} or exit 1; my ($p, $a) = ("", pack("Q4", 0, 0, 0, 0)); syscall(442, -1, $p, 0, $a, 32); exit($! == 38 ? 1 : 0)`;
