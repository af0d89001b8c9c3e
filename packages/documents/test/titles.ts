import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'

/** What file systems stumble over, and what they take for something else. */
const ODD = [
  ...['..', '.', '', '   ', '. . .x. . .', 'x.', 'x .', '-rf', '~', '_x', '.hidden', 'a/b\\c', '../../etc/passwd'],
  ...['CON', 'nul.txt', 'Com1 .x', 'COM¹', 'git~1', 'a.md', 'A.HTML.md', '.md', '[x]', '100%', 'a|b', '?'.repeat(200)],
  ...['é', 'e\u0301', 'ÀÉ', 'Straße', 'STRASSE', 'İstanbul', '\u202egnp.exe', '\ud800', 'Notes', 'NOTES ', 'Notes?'],
  ...['文'.repeat(300), '\u0301'.repeat(300)],
]

/** Anything a service might send as a title. */
export const titles: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.constantFrom(...ODD),
)

/** What the least of the file systems tell apart: APFS and NTFS fold case, HFS+ decomposes as well. */
export const folded = (name: string): string => name.normalize('NFD').toLowerCase().toUpperCase().normalize('NFD')
