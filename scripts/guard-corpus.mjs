// Judges a folder of guard cases: node scripts/guard-corpus.mjs <dir> [--static] [--json] [--verbose]
import { register } from 'tsx/esm/api';

register();
await import('../test/support/guard-corpus-main.ts');
