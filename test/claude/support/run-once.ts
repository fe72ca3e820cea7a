// One run of the real CLI as whoever starts this, its home not to be written: prints how it ended, and what the sandbox was.
import { bash, ClaudeHouse } from './run-claude.ts';

const house = await ClaudeHouse.open();
const { ending, file } = await house.run(
  { turns: [bash('echo saved > b.txt'), { text: 'Done.' }] },
  { readOnlyHome: true },
);
const { user, network } = house.sandbox.enforced;
if (ending.outcome.reason !== 'completed') process.stderr.write(JSON.stringify(ending));
process.stdout.write(`${ending.outcome.reason} ${user} ${network} ${file('b.txt')}`);
house.close();
