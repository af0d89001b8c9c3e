/** What is wrong with a part of a value in the config file. */
export class FileValueError extends Error {
  override readonly name = 'FileValueError'
  /** Keys and positions that lead from the value to the part. */
  readonly path: readonly (string | number)[]

  constructor(path: readonly (string | number)[], message: string) {
    super(message)
    this.path = path
  }
}
