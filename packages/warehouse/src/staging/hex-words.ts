const DIGIT = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0)

const DIGITS_PER_WORD = 8

/** The 32-bit word at an index of a text of hexadecimal digits; unsigned. */
export function hexWord(hex: string, index: number): number {
  const first = DIGITS_PER_WORD * index
  let word = 0
  for (let at = first; at < first + DIGITS_PER_WORD; at++) word = word * 16 + (DIGIT[hex.charCodeAt(at)] ?? 0)
  return word
}
