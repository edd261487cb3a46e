import { ToolError } from './define-tool.ts';

/** The tool's own time limit was reached. The message holds what there was until then. */
export class ToolTimeout extends ToolError {
  /** The limit, in milliseconds. */
  readonly afterMs: number;

  constructor(message: string, afterMs: number) {
    super(message);
    this.afterMs = afterMs;
  }
}
