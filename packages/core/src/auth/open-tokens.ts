import { TokenCommand } from './command-source.ts'
import { TokenFile, type TokenFileOptions } from './file-source.ts'

/** Where a token is that can be replaced. */
type TokenPlace =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly command: readonly [program: string, ...args: string[]] }

/**
 * Opens a token file, or runs a token command.
 * @throws SignInError `unusable`
 */
export function openTokens(place: TokenPlace, options: TokenFileOptions): Promise<TokenFile | TokenCommand> {
  if (place.kind === 'file') return TokenFile.open(place.path, options)
  return TokenCommand.open(place.command, { onSecret: options.onSecret, signal: options.signal })
}
