/** Letters of scripts that are written without spaces, and full-width forms. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\uFF00-\uFFEF]/u

/** Characters that no address holds unescaped (brackets only in a host), punctuation beyond ASCII, and an unspaced letter behind an ASCII word. */
const END = new RegExp(
  /[\s"<>\\^`{|}]|(?<!:\/\/)\[|(?<!:\/\/\[[\da-f:.]*)\]|[^\p{ASCII}\p{L}\p{M}\p{N}]|(?<=[A-Za-z\d*_~.,;:!?)'])/u
    .source + UNSPACED.source,
  'u',
)

/**
 * Where a bare address in a text ends: before a character that no address holds unescaped, before punctuation beyond ASCII, and where text of a
 * script without spaces follows a word in ASCII or its punctuation. Addresses may hold other letters: `https://host/页面/p1#第二章`.
 *
 * @param text begins with the address
 * @returns the offset in UTF-16 units
 * @example
 * bareAddressEnd('https://host/pages/1，请看') // 20
 */
export function bareAddressEnd(text: string): number {
  const end = text.search(END)
  return end === -1 ? text.length : end
}

/**
 * Whether an address holds what may belong to the text around it instead: letters, as in `https://host/pages/请看`, or, in an
 * address within `<…>`, characters that would end a bare address.
 */
export function mayHoldText(address: string): boolean {
  return UNSPACED.test(address) || bareAddressEnd(address) < address.length
}
