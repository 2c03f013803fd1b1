/** A call of a tool, as the simulator makes it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text; the input of a custom tool. */
  readonly arguments: string;
  readonly isCustom?: true;
}
