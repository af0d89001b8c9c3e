/** A call has invalid parameters. Nothing was sent. */
export class ParameterError extends TypeError {
  override readonly name = 'ParameterError'
  /** Dotted id of the operation. */
  readonly operation: string
  /** Name of the parameter. */
  readonly parameter: string

  /** @param problem continues the sentence after the parameter's name: `is required` */
  constructor(operation: string, parameter: string, problem: string) {
    super(`${operation}: parameter ${parameter} ${problem}`)
    this.operation = operation
    this.parameter = parameter
  }
}

/** Whether an error is a `ParameterError`. */
export function isParameterError(error: unknown): error is ParameterError {
  return error instanceof ParameterError
}
