// `npm run demo`: the whole main job on the embedded local GitHub.
import { startCli } from './start-cli.mjs';

startCli(['demo', ...process.argv.slice(2)]);
