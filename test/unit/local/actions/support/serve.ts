import { createActions } from '../../../../../src/local/actions/actions.ts';
import { createRepo, createUser, createUserToken } from '../../../../../src/local/seed.ts';
import { start } from '../../../../../src/local/server.ts';

// A local GitHub in a process of its own: `<data folder> <auto|off>`. Prints its address and a token of ada.
const [dataDir = '', namespace] = process.argv.slice(2);
const github = await start({ dataDir });
createActions(github).startRunner({ namespace: namespace === 'off' ? 'off' : 'auto' });
const owner = createUser(github.store, 'ada');
const token = createUserToken(github.store, owner);
await createRepo(github.store, { owner, name: 'demo' });
process.stdout.write(`${JSON.stringify({ url: github.url, token })}\n`);
