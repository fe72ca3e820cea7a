import type { ExecutedTest } from '../../../domain/facts.ts';
import type { ReportResult } from './adapter.ts';
import { executedTest, failureOf } from './executed-test.ts';
import { parseXml, type XmlElement } from './xml.ts';

/** A test case of a JUnit report, as its attributes name it. */
export interface JunitCase {
  readonly name: string;
  readonly className: string;
  readonly file: string | null;
}

export type JunitNaming = (test: JunitCase) => { readonly path: string; readonly names: readonly string[] };

/** Reads a JUnit XML report; `naming` turns a case into path and nested names. */
export function parseJunit(report: string | null, naming: JunitNaming): ReportResult {
  if (report === null) return { kind: 'unreadable', reason: 'The test runner wrote no report.' };
  const root = parseXml(report);
  if (root === null || !/^testsuites?$/.test(root.name)) {
    return { kind: 'unreadable', reason: 'The report is not JUnit XML.' };
  }
  return { kind: 'tests', tests: casesOf(root).map((element) => testOf(element, naming)) };
}

function casesOf(element: XmlElement): XmlElement[] {
  return element.children.flatMap((child) => (child.name === 'testcase' ? [child] : casesOf(child)));
}

function testOf(element: XmlElement, naming: JunitNaming): ExecutedTest {
  const { name = '', classname = '', file } = element.attributes;
  const bad = element.children.find((child) => child.name === 'failure' || child.name === 'error');
  const skipped = element.children.some((child) => child.name === 'skipped');
  const message = bad === undefined ? null : (bad.attributes.message ?? bad.text);
  return executedTest({
    ...naming({ name, className: classname, file: file ?? null }),
    status: bad !== undefined ? 'failed' : skipped ? 'skipped' : 'passed',
    failure: bad?.name === 'error' ? 'error' : failureOf(message ?? ''),
    message: bad === undefined ? null : `${message}\n${bad.text.slice(-1500)}`,
  });
}
