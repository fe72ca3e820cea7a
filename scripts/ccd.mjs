// `npm run -s ccd -- <command> …`: the command line from a checkout.
import { startCli } from './start-cli.mjs';

startCli(process.argv.slice(2));
