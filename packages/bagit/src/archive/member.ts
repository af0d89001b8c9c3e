/** A member of an archive, in the archive's order. */
export type ArchiveMember =
  | { readonly kind: 'file'; readonly path: string; readonly content: AsyncIterable<Uint8Array> }
  | { readonly kind: 'folder'; readonly path: string }
  /** A link, a device, or anything else that is neither file nor folder; `detail` says what. */
  | { readonly kind: 'other'; readonly path: string; readonly detail: string }

/** An archive that differs in form from those that `archive` writes, so that programs may unpack it differently. */
export class BrokenArchive extends Error {
  override readonly name = 'BrokenArchive'
}

/** Decodes the name of a member. */
export function decodeName(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new BrokenArchive(`${what} has a name that is not UTF-8`, { cause })
  }
}
