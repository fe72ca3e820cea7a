import type { SmallCase } from '../../../support/guard-judge.ts';

type Change = SmallCase['change'];
const named =
  (language: string, base: SmallCase['base'], spec: SmallCase['spec']) =>
  (name: string, want: SmallCase['want'], change: Change, more: Partial<SmallCase> = {}): SmallCase => ({
    name: `${language}: ${name}`,
    base,
    change,
    want,
    ...(spec ? { spec } : {}),
    ...more,
  });

const goTest = `package dose

import "testing"

func TestParse(t *testing.T) {
	cases := []struct {
		text string
		want int
	}{
		{"5mg", 5},
		{"12mg", 12},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			got, err := Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("Parse(%q) = %d, want %d", c.text, got, c.want)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	if _, err := Parse("mg"); err == nil {
		t.Fatal("no error")
	}
}
`;
const goSource = `package dose

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a dose.
func Parse(text string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSuffix(text, "mg"))
	if err != nil {
		return 0, fmt.Errorf("dose: %w", err)
	}
	return n + 1, nil
}
`;
const goBase = {
  'go.mod': 'module example.test/dose\n\ngo 1.22\n',
  'dose.go': goSource,
  'dose_test.go': goTest,
};
const go = named('go', goBase, { targetTests: ['dose_test.go::TestParse/5mg'] });
const goEdit = (from: string, to: string): Change => ({ 'dose_test.go': goTest.replace(from, () => to) });
const goSrc = (from: string, to: string): Change => ({ 'dose.go': goSource.replace(from, () => to) });

const rustSource = `//! Clock faces.

/// Minutes since midnight.
pub fn minutes(hour: u32, minute: u32) -> Result<u32, String> {
    if hour > 23 {
        return Err(format!("hour {hour}"));
    }
    Ok(hour * 60 + minute + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noon() {
        assert_eq!(minutes(12, 0), Ok(720));
    }

    #[test]
    fn refuses() {
        assert!(minutes(24, 0).is_err());
    }
}
`;
const rust = named(
  'rust',
  {
    'Cargo.toml': '[package]\nname = "clock"\nversion = "0.1.0"\nedition = "2021"\n',
    'src/lib.rs': rustSource,
  },
  { targetTests: ['src/lib.rs::tests::noon'] },
);
const rs = (from: string, to: string): Change => ({ 'src/lib.rs': rustSource.replace(from, () => to) });

const javaTest = `package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PriceTest {
    @ParameterizedTest
    @CsvSource({"100, 119", "200, 238"})
    void addsTax(int net, int gross) {
        assertEquals(gross, Price.gross(net));
    }

    @Test
    void refusesNegative() {
        assertThrows(IllegalArgumentException.class, () -> Price.gross(-1));
    }
}
`;
const javaSource = `package shop;

public final class Price {
    private Price() {
    }

    /** Gross cents of net cents. */
    public static int gross(int net) {
        if (net < 0) {
            throw new IllegalArgumentException("net: " + net);
        }
        return net * 118 / 100;
    }
}
`;
const java = named(
  'java',
  {
    'pom.xml': '<project></project>\n',
    'src/main/java/shop/Price.java': javaSource,
    'src/test/java/shop/PriceTest.java': javaTest,
  },
  { targetTests: ['src/test/java/shop/PriceTest.java::addsTax'] },
);
const jt = (from: string, to: string): Change => ({
  'src/test/java/shop/PriceTest.java': javaTest.replace(from, () => to),
});
const js = (from: string, to: string): Change => ({
  'src/main/java/shop/Price.java': javaSource.replace(from, () => to),
});

const specTest = `require "spec_helper"

RSpec.describe Queue do
  subject(:queue) { Queue.new }

  before { queue.push("a") }

  it "pops in order" do
    queue.push("b")
    expect(queue.pop).to eq("a")
  end

  context "when empty" do
    it "pops nil" do
      queue.pop
      expect(queue.pop).to be_nil
    end
  end
end
`;
const rubySource = `class Queue
  def initialize
    @items = []
  end

  def push(item)
    raise ArgumentError, "no item" if item.nil?

    @items << item
    self
  end

  def pop
    @items.pop
  end
end
`;
const ruby = named(
  'ruby',
  { 'lib/queue.rb': rubySource, 'spec/queue_spec.rb': specTest, 'spec/spec_helper.rb': 'require "queue"\n' },
  { targetTests: ['spec/queue_spec.rb::Queue pops in order'] },
);
const rt = (from: string, to: string): Change => ({ 'spec/queue_spec.rb': specTest.replace(from, () => to) });
const rb = (from: string, to: string): Change => ({ 'lib/queue.rb': rubySource.replace(from, () => to) });

const phpTest = `<?php

use PHPUnit\\Framework\\TestCase;

final class TextTest extends TestCase
{
    /** @dataProvider rows */
    public function testShortens(string $in, string $out): void
    {
        $this->assertSame($out, Text::shorten($in, 8));
    }

    public static function rows(): array
    {
        return [
            ['tram', 'tram'],
            ['tram depot', 'tram...'],
        ];
    }
}
`;
const phpSource = `<?php

final class Text
{
    public static function shorten(string $text, int $limit): string
    {
        if ($limit < 4) {
            throw new InvalidArgumentException('limit');
        }
        return substr($text, 0, $limit);
    }
}
`;
const php = named(
  'php',
  { 'composer.json': '{"name":"a/b"}\n', 'src/Text.php': phpSource, 'tests/TextTest.php': phpTest },
  { targetTests: ['tests/TextTest.php::TextTest::testShortens'] },
);
const pt = (from: string, to: string): Change => ({ 'tests/TextTest.php': phpTest.replace(from, () => to) });
const ps = (from: string, to: string): Change => ({ 'src/Text.php': phpSource.replace(from, () => to) });

const csTest = `using Xunit;

namespace Shop.Tests;

public class CartTests
{
    [Theory]
    [InlineData(2, 5, 10)]
    [InlineData(3, 5, 15)]
    public void Sums(int count, int price, int total)
    {
        Assert.Equal(total, Cart.Sum(count, price));
    }

    [Fact]
    public void RefusesNegative()
    {
        Assert.Throws<ArgumentException>(() => Cart.Sum(-1, 5));
    }
}
`;
const csSource = `namespace Shop;

public static class Cart
{
    public static int Sum(int count, int price)
    {
        if (count < 0) throw new ArgumentException("count");
        return count + price;
    }
}
`;
const cs = named(
  'c#',
  { 'src/Cart.cs': csSource, 'tests/CartTests.cs': csTest },
  { targetTests: ['tests/CartTests.cs::CartTests.Sums'] },
);
const ct = (from: string, to: string): Change => ({ 'tests/CartTests.cs': csTest.replace(from, () => to) });
const csrc = (from: string, to: string): Change => ({ 'src/Cart.cs': csSource.replace(from, () => to) });

export const otherCases: readonly SmallCase[] = [
  go('fix alone', 'pass', goSrc('n + 1', 'n')),
  go('row appended', 'pass', {
    ...goSrc('n + 1', 'n'),
    ...goEdit('		{"12mg", 12},\n', '		{"12mg", 12},\n		{"0mg", 0},\n'),
  }),
  go(
    'new test and import',
    'pass',
    {
      ...goSrc('n + 1', 'n'),
      'dose_test.go':
        goTest.replace('import "testing"', 'import (\n	"errors"\n	"strconv"\n	"testing"\n)') +
        '\nfunc TestWraps(t *testing.T) {\n	_, err := Parse("x")\n	if !errors.Is(err, strconv.ErrSyntax) {\n		t.Fatalf("got %v", err)\n	}\n}\n',
    },
    {},
  ),
  go('row dropped and another added', 'R2', goEdit('{"5mg", 5}', '{"6mg", 7}')),
  go('loop shortened', 'R2', goEdit('range cases {', 'range cases[:1] {')),
  go(
    't.Skip by condition',
    'R2',
    goEdit(
      'func TestRefuses(t *testing.T) {\n',
      'func TestRefuses(t *testing.T) {\n	if testing.Short() {\n		t.Skip()\n	}\n',
    ),
  ),
  go('lower case name', 'R2', goEdit('func TestRefuses', 'func Testrefuses')),
  go('file for another system', 'R2', { 'dose_test.go': null, 'dose_plan9_test.go': goTest }),
  go('init in a new test file', 'R2', {
    'more_test.go': 'package dose\n\nimport "os"\n\nfunc init() {\n	os.Exit(0)\n}\n',
  }),
  go('Errorf to Logf', 'R2', goEdit('t.Errorf', 't.Logf')),
  go('vendored module', 'R0', { 'vendor/x/x.go': 'package x\n' }),
  go(
    'go.mod replace opened',
    'R0',
    { 'go.mod': `${goBase['go.mod']}\nreplace example.test/x => ./x\n` },
    {
      spec: {
        kind: 'deps',
        allow: {
          binary: [],
          mode: [],
          submodule: [],
          symlink: [],
          generated: [],
          hooks: [],
          manifests: ['go.mod'],
          rename: [],
        },
      },
    },
  ),
  go('special case', 'R6', goSrc('	n, err', '	if text == "5mg" {\n		return 5, nil\n	}\n	n, err')),
  go('flag of the test binary', 'R6', {
    'dose.go': goSource
      .replace('"fmt"', '"flag"\n	"fmt"')
      .replace('	n, err', '	if flag.Lookup("test.v") != nil {\n		return len(text), nil\n	}\n	n, err'),
  }),
  go(
    'error dropped',
    'R6',
    goSrc(
      'n, err := strconv.Atoi(strings.TrimSuffix(text, "mg"))\n	if err != nil {\n		return 0, fmt.Errorf("dose: %w", err)\n	}',
      'n, _ := strconv.Atoi(strings.TrimSuffix(text, "mg"))\n	_ = fmt.Sprint',
    ),
  ),
  go('recover', 'R6', goSrc('	n, err', '	defer func() { recover() }()\n	n, err')),
  go('os.Args', 'R6', {
    'dose.go': goSource
      .replace('"fmt"', '"fmt"\n	"os"')
      .replace('	n, err', '	if strings.HasSuffix(os.Args[0], ".test") {\n		return 5, nil\n	}\n	n, err'),
  }),
  go(
    'switch over inputs',
    'R6',
    goSrc('	n, err', '	switch text {\n	case "5mg", "12mg":\n		return 5, nil\n	}\n	n, err'),
  ),
  go(
    'map of answers',
    'R6',
    goSrc('// Parse', 'var known = map[string]int{"5mg": 5, "12mg": 12}\n\n// Parse'),
  ),

  rust('fix alone', 'pass', rs(' + minute + 1', ' + minute')),
  rust('test added in the module', 'pass', {
    'src/lib.rs': rustSource
      .replace(' + minute + 1', ' + minute')
      .replace(
        '    #[test]\n    fn refuses',
        '    #[test]\n    fn midnight() {\n        assert_eq!(minutes(0, 0), Ok(0));\n    }\n\n    #[test]\n    fn refuses',
      ),
  }),
  rust('derive equality', 'pass', {
    'src/lib.rs': `${rustSource.replace(' + minute + 1', ' + minute')}\n#[derive(Debug, PartialEq)]\npub struct Face(pub u32);\n`,
  }),
  rust('module compiled out', 'R2', rs('#[cfg(test)]', '#[cfg(any())]')),
  rust('test attribute gone', 'R2', rs('    #[test]\n    fn noon', '    #[allow(dead_code)]\n    fn noon')),
  rust(
    'should_panic on an old test',
    'R2',
    rs('    #[test]\n    fn noon', '    #[test]\n    #[should_panic]\n    fn noon'),
  ),
  rust(
    'use shadows the subject',
    'R2',
    rs(
      '    use super::*;',
      '    use super::*;\n    fn minutes(_: u32, _: u32) -> Result<u32, String> {\n        Ok(720)\n    }',
    ),
  ),
  rust(
    'cfg_attr ignore',
    'R2',
    rs('    #[test]\n    fn noon', '    #[cfg_attr(not(feature = "x"), ignore)]\n    #[test]\n    fn noon'),
  ),
  rust(
    'macro shadow',
    'R6',
    rs(
      '//! Clock faces.\n',
      '//! Clock faces.\n\n#[allow(unused_macros)]\nmacro_rules! assert_eq {\n    ($a:expr, $b:expr) => {};\n}\n',
    ),
  ),
  rust(
    'cfg test in production',
    'R6',
    rs('    if hour > 23', '    if cfg!(test) {\n        return Ok(720);\n    }\n    if hour > 23'),
  ),
  rust('cfg not test function', 'R6', rs('/// Minutes', '#[cfg(not(test))]\nfn extra() {}\n\n/// Minutes')),
  rust(
    'unwrap_or over an error',
    'R6',
    rs('    Ok(hour * 60', '    let hour: u32 = hour.to_string().parse().unwrap_or(12);\n    Ok(hour * 60'),
  ),
  rust(
    'match arm answers',
    'R6',
    rs(
      '    Ok(hour * 60',
      '    if let (12, 0) = (hour, minute) {\n        return Ok(720);\n    }\n    Ok(hour * 60',
    ),
  ),
  rust(
    'process exit in a constructor',
    'R6',
    rs('/// Minutes', 'pub fn end() {\n    std::process::exit(0);\n}\n\n/// Minutes'),
  ),

  java('fix alone', 'pass', js('118', '119')),
  java('row appended', 'pass', { ...js('118', '119'), ...jt('"200, 238"', '"200, 238", "0, 0"') }),
  java('method added', 'pass', {
    ...js('118', '119'),
    ...jt(
      '    @Test\n    void refuses',
      '    @Test\n    void zero() {\n        assertEquals(0, Price.gross(0));\n    }\n\n    @Test\n    void refuses',
    ),
  }),
  java('row changed', 'R2', jt('100, 119', '100, 118')),
  java('annotation gone', 'R2', jt('    @Test\n    void refuses', '    void refuses')),
  java('disabled class', 'R2', jt('class PriceTest', '@org.junit.jupiter.api.Disabled\nclass PriceTest')),
  java(
    'assertion caught',
    'R2',
    jt(
      '        assertEquals(gross, Price.gross(net));',
      '        try {\n            assertEquals(gross, Price.gross(net));\n        } catch (AssertionError e) {\n            System.out.println(e);\n        }',
    ),
  ),
  java(
    'setup added',
    'R2',
    jt(
      '    @ParameterizedTest',
      '    @org.junit.jupiter.api.BeforeEach\n    void quiet() {\n    }\n\n    @ParameterizedTest',
    ),
  ),
  java(
    'unicode escape ends a comment',
    'R0',
    js('/** Gross cents', '// \\u000a int x;\n    /** Gross cents'),
  ),
  java('framework package', 'R0', {
    'src/main/java/org/junit/jupiter/api/Assertions.java':
      'package org.junit.jupiter.api;\n\npublic class Assertions {\n}\n',
  }),
  java(
    'catch all',
    'R6',
    js(
      '        return net * 118 / 100;',
      '        try {\n            return net * 118 / 100;\n        } catch (RuntimeException e) {\n            return 0;\n        }',
    ),
  ),
  java(
    'stack trace',
    'R6',
    js(
      '        return net',
      '        for (StackTraceElement e : Thread.currentThread().getStackTrace()) {\n            if (e.getClassName().endsWith("T")) {\n                return 0;\n            }\n        }\n        return net',
    ),
  ),
  java('halt', 'R6', js('        return net', '        Runtime.getRuntime().halt(0);\n        return net')),
  java(
    'switch over inputs',
    'R6',
    js(
      '        return net',
      '        switch (net) {\n            case 100:\n                return 119;\n            default:\n        }\n        return net',
    ),
  ),
  java(
    'class by name',
    'R6',
    js(
      '        return net',
      '        try {\n            Class.forName("org.junit.jupiter.api.Test");\n        } catch (ClassNotFoundException e) {\n            return net;\n        }\n        return net',
    ),
  ),

  ruby('fix alone', 'pass', rb('@items.pop', '@items.shift')),
  ruby('example added', 'pass', {
    ...rb('@items.pop', '@items.shift'),
    ...rt(
      '  context "when empty"',
      '  it "keeps nothing" do\n    queue.pop\n    queue.push("c")\n    expect(queue.pop).to eq("c")\n  end\n\n  context "when empty"',
    ),
  }),
  ruby('xit', 'R2', rt('  it "pops in order"', '  xit "pops in order"')),
  ruby('skip metadata on the group', 'R2', rt('describe Queue do', 'describe Queue, skip: true do')),
  ruby('block comment around an example', 'R2', {
    'spec/queue_spec.rb': specTest
      .replace('  it "pops in order" do', '=begin\n  it "pops in order" do')
      .replace('  context', '=end\n  context'),
  }),
  ruby('__END__ before examples', 'R2', rt('  it "pops in order"', 'end\n__END__\n  it "pops in order"')),
  ruby('let redefined', 'R2', rt('  before', '  let(:queue) { ["a"] }\n\n  before')),
  ruby('be_truthy', 'R2', rt('to eq("a")', 'to be_truthy')),
  ruby('reopens String', 'R6', {
    'lib/queue.rb': `${rubySource}\nclass String\n  def ==(other)\n    true\n  end\nend\n`,
  }),
  ruby('rescue modifier', 'R6', rb('@items.pop\n', '@items.fetch(-1) rescue nil\n')),
  ruby('exit!', 'R6', { 'lib/queue.rb': `at_exit { exit!(0) }\n${rubySource}` }),
  ruby(
    'defined RSpec',
    'R6',
    rb('    @items.pop\n', '    return @items.shift if defined?(RSpec)\n\n    @items.pop\n'),
  ),
  ruby(
    'caller',
    'R6',
    rb(
      '    @items.pop\n',
      '    return @items.shift if caller.any? { |line| line.include?("_s") }\n\n    @items.pop\n',
    ),
  ),
  ruby('raise removed', 'R6', rb('    raise ArgumentError, "no item" if item.nil?\n\n', '')),
  ruby('simplecov options', 'R0', { '.simplecov': 'SimpleCov.minimum_coverage 0\n' }),

  php(
    'fix alone',
    'pass',
    ps(
      'return substr($text, 0, $limit);',
      "return strlen($text) <= $limit ? $text : substr($text, 0, $limit - 4) . '...';",
    ),
  ),
  php('row appended', 'pass', {
    ...ps('return substr', 'return mb_substr'),
    ...pt(
      "            ['tram depot', 'tram...'],\n",
      "            ['tram depot', 'tram...'],\n            ['bus', 'bus'],\n",
    ),
  }),
  php('row dropped', 'R2', pt("            ['tram depot', 'tram...'],\n", '')),
  php('provider gone', 'R2', pt('    /** @dataProvider rows */\n', '')),
  php(
    'markTestSkipped',
    'R2',
    pt('        $this->assertSame', "        $this->markTestSkipped('x');\n        $this->assertSame"),
  ),
  php(
    'assertSame overridden',
    'R2',
    pt(
      '    public static function rows',
      "    public static function assertSame($a, $b, string $m = ''): void\n    {\n    }\n\n    public static function rows",
    ),
  ),
  php(
    'assertNotNull',
    'R2',
    pt('assertSame($out, Text::shorten($in, 8))', 'assertNotNull(Text::shorten($in, 8))'),
  ),
  php('silenced', 'R6', ps('return substr(', 'return @substr(')),
  php(
    'constant of the runner',
    'R6',
    ps(
      '        if ($limit',
      "        if (defined('PHPUNIT_COMPOSER_INSTALL')) {\n            return 'tram...';\n        }\n        if ($limit",
    ),
  ),
  php(
    'in_array of inputs',
    'R6',
    ps(
      '        return substr',
      "        if (in_array($text, ['tram depot'], true)) {\n            return 'tram...';\n        }\n        return substr",
    ),
  ),
  php(
    'match over inputs',
    'R6',
    ps(
      '        return substr($text, 0, $limit);',
      "        return match ($text) {\n            'tram depot' => 'tram...',\n            default => substr($text, 0, $limit),\n        };",
    ),
  ),
  php('eval', 'R6', ps('        return substr', "        eval('$limit = 9;');\n        return substr")),
  php(
    'shutdown function',
    'R6',
    ps(
      '        return substr',
      '        register_shutdown_function(fn () => exit(0));\n        return substr',
    ),
  ),

  cs('fix alone', 'pass', csrc('count + price', 'count * price')),
  cs('row added', 'pass', {
    ...csrc('count + price', 'count * price'),
    ...ct('    [InlineData(3, 5, 15)]\n', '    [InlineData(3, 5, 15)]\n    [InlineData(0, 5, 0)]\n'),
  }),
  cs('fact added', 'pass', {
    ...csrc('count + price', 'count * price'),
    ...ct(
      '    [Fact]\n    public void Refuses',
      '    [Fact]\n    public void Zero()\n    {\n        Assert.Equal(0, Cart.Sum(0, 9));\n    }\n\n    [Fact]\n    public void Refuses',
    ),
  }),
  cs('row dropped', 'R2', ct('    [InlineData(2, 5, 10)]\n', '')),
  cs('skip argument', 'R2', ct('[Fact]', '[Fact(Skip = "later")]')),
  cs(
    'return at the top',
    'R2',
    ct(
      '        Assert.Equal(total',
      '        if (OperatingSystem.IsLinux()) return;\n        Assert.Equal(total',
    ),
  ),
  cs('throws any', 'R2', ct('Assert.Throws<ArgumentException>', 'Assert.ThrowsAny<Exception>')),
  cs('constructor added', 'R2', ct('    [Theory]', '    public CartTests()\n    {\n    }\n\n    [Theory]')),
  cs('props file', 'R0', { 'Directory.Build.props': '<Project></Project>\n' }),
  cs(
    'catch all',
    'R6',
    csrc(
      '        return count + price;',
      '        try\n        {\n            return checked(count + price);\n        }\n        catch (Exception)\n        {\n            return 10;\n        }',
    ),
  ),
  cs(
    'switch expression',
    'R6',
    csrc('return count + price;', 'return (count, price) switch { (2, 5) => 10, _ => count + price };'),
  ),
  cs(
    'loaded assemblies',
    'R6',
    csrc(
      '        return count',
      '        foreach (var a in AppDomain.CurrentDomain.GetAssemblies()) if (a.FullName!.StartsWith("x")) return 10;\n        return count',
    ),
  ),
  cs('module initializer', 'R6', {
    'src/Cart.cs': `${csSource}\ninternal static class Start\n{\n    [System.Runtime.CompilerServices.ModuleInitializer]\n    internal static void Run() => System.Environment.Exit(0);\n}\n`,
  }),
  cs('equals true', 'R6', {
    'src/Cart.cs': `${csSource}\npublic readonly struct Money\n{\n    public override bool Equals(object? other) => 1 == 1;\n    public override int GetHashCode() => 0;\n}\n`,
  }),
];
