import type { Annotation } from '../../records/check.ts';
import type { JobLog } from './job-log.ts';
import type { Masks } from './masks.ts';
import { parseWorkflowCommand, type WorkflowCommand } from './workflow-command.ts';

/** Where the commands in a step's output take effect. */
interface OutputSinks {
  readonly log: JobLog;
  readonly masks: Masks;
  readonly annotate: (annotation: Annotation) => void;
  readonly setOutput: (name: string, value: string) => void;
  readonly saveState: (name: string, value: string) => void;
}

const LEVELS: Readonly<Record<string, Annotation['annotation_level']>> = {
  error: 'failure',
  warning: 'warning',
  notice: 'notice',
};

/** Reads a step's output line by line: commands take effect, everything else goes to the log. */
export class OutputReader {
  readonly #sinks: OutputSinks;
  #resumeToken: string | null = null;

  constructor(sinks: OutputSinks) {
    this.#sinks = sinks;
  }

  read(line: string): void {
    const command = parseWorkflowCommand(line);
    if (this.#resumeToken !== null) {
      if (command?.name === this.#resumeToken.toLowerCase()) this.#resumeToken = null;
      return this.#sinks.log.line(line);
    }
    if (command === null || !this.#obey(command)) this.#sinks.log.line(line);
  }

  #obey(command: WorkflowCommand): boolean {
    const { log, masks, setOutput, saveState } = this.#sinks;
    const { name, message, properties } = command;
    switch (name) {
      case 'add-mask':
        masks.add(message);
        return true;
      case 'set-output':
        setOutput(properties.name ?? '', message);
        return true;
      case 'save-state':
        saveState(properties.name ?? '', message);
        return true;
      case 'stop-commands':
        this.#resumeToken = message;
        return false;
      case 'group':
      case 'endgroup':
      case 'debug':
        log.line(`##[${name}]${message}`);
        return true;
      case 'error':
      case 'warning':
      case 'notice':
        log.line(`##[${name}]${message}`);
        this.#annotate(LEVELS[name]!, command);
        return true;
      case 'set-env':
      case 'add-path':
        log.error(`The \`${name}\` command is disabled. Use the environment files instead.`);
        return true;
      case 'echo':
      case 'add-matcher':
      case 'remove-matcher':
        return true;
      default:
        return false;
    }
  }

  #annotate(level: Annotation['annotation_level'], { properties, message }: WorkflowCommand): void {
    const start = Number(properties.line) || 1;
    const column = (key: string) => (Number(properties[key]) > 0 ? Number(properties[key]) : undefined);
    const [from, to] = [column('col'), column('endColumn')];
    this.#sinks.annotate({
      path: properties.file ?? '.github',
      start_line: start,
      end_line: Number(properties.endLine) || start,
      annotation_level: level,
      message: this.#sinks.masks.apply(message),
      ...(properties.title === undefined ? {} : { title: properties.title }),
      ...(from === undefined ? {} : { start_column: from }),
      ...(to === undefined ? {} : { end_column: to }),
    });
  }
}
