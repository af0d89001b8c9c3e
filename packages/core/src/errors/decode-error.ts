import { CollabError } from './collab-error.ts'

/**
 * - `empty`: no body at all
 * - `truncated`: the body ends before its value does
 * - `invalid_json`: not JSON (an HTML page of a gateway, a missing comma, an unknown encoding)
 * - `wrong_type`: JSON, but `null`, an object for an array, an element that is not an object
 * - `misdirected`: an answer about another project, or another stored post or file, than the requested one
 * - `unkeyed`: a record without its key
 * - `too_large`: one record beyond 256 MiB, an answer that is one record nested deeper than 1,000 levels, or a compressed body that grows out of proportion
 */
export type DecodeProblem =
  | 'empty'
  | 'truncated'
  | 'invalid_json'
  | 'wrong_type'
  | 'misdirected'
  | 'unkeyed'
  | 'too_large'

export interface DecodeErrorDetails {
  readonly problem: DecodeProblem
  /** The problem, for a person; contains nothing of the body. */
  readonly what: string
  /** Dotted id of the operation. */
  readonly operation?: string | undefined
  /** Offset in the (decompressed) body. */
  readonly byte?: number | undefined
  /** Index in the array. */
  readonly element?: number | undefined
}

/** An answer arrived but cannot be read completely; no part of it may be used. */
export class DecodeError extends CollabError {
  override readonly name = 'DecodeError'
  /** The problem in capitals. */
  readonly errorCode: string
  readonly operation: string | undefined
  readonly problem: DecodeProblem
  readonly what: string
  readonly byte: number | undefined
  readonly element: number | undefined

  constructor(details: DecodeErrorDetails) {
    super(describe(details))
    this.errorCode = details.problem.toUpperCase()
    this.operation = details.operation
    this.problem = details.problem
    this.what = details.what
    this.byte = details.byte
    this.element = details.element
  }

  /** The same error with the operation's name. */
  of(operation: string): DecodeError {
    return new DecodeError({ ...this, operation })
  }
}

/** Whether an error is a `DecodeError` (with problems: with one of these). */
export function isDecodeError(error: unknown, ...problems: DecodeProblem[]): error is DecodeError {
  return error instanceof DecodeError && (problems.length === 0 || problems.includes(error.problem))
}

function describe({ what, operation, byte, element }: DecodeErrorDetails): string {
  const place = [
    ...(element === undefined ? [] : [`element ${element}`]),
    ...(byte === undefined ? [] : [`byte ${byte}`]),
  ].join(', ')
  return `${operation ?? 'answer'}: the service's answer cannot be read: ${what}${place === '' ? '' : ` (${place})`}`
}
