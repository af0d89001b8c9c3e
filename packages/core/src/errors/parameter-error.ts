/** A call was given parameters that no request may be made of. Nothing was sent. */
export class ParameterError extends TypeError {
  override readonly name = 'ParameterError'
  /** Dotted id of the operation. */
  readonly operation: string
  /** Name of the parameter. */
  readonly parameter: string

  /** @param problem goes on from the parameter's name: `is required` */
  constructor(operation: string, parameter: string, problem: string) {
    super(`${operation}: parameter ${parameter} ${problem}`)
    this.operation = operation
    this.parameter = parameter
  }
}

/** Tells a `ParameterError`. */
export function isParameterError(error: unknown): error is ParameterError {
  return error instanceof ParameterError
}
