import { sealSource } from './seal.ts';

/** Text of a reporter for jest, in the form of jest's own JSON report. */
export const jestReporter = `'use strict';
${sealSource}
const test = ({ ancestorTitles, title, status, failureMessages }) => ({ ancestorTitles, title, status, failureMessages });
module.exports = class {
  onRunComplete(_contexts, results) {
    const testResults = results.testResults.map((file) => ({
      name: file.testFilePath,
      status: file.testExecError || file.numFailingTests > 0 || file.failureMessage ? 'failed' : 'passed',
      message: file.failureMessage || '',
      assertionResults: file.testResults.map(test),
    }));
    seal(JSON.stringify({ testResults }));
  }
};
`;
