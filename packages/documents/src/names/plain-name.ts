import { cutToBytes } from './slug.ts'

/** Bytes of a name at most, without what makes it unique: 40 Chinese characters, and trees stay within a path's length. */
const MAX_NAME_BYTES = 120

/** UTF-16 units of a title that are used: no name is longer, even if characters are removed. */
const MAX_LOOKED_AT = 2000

const UNTITLED = 'Untitled'

/**
 * What no name holds: what Windows, or a shared drive of it, refuses (`< > : " / \ | ? *`), what Obsidian cannot link to
 * (`# ^ [ ]` and backticks), `%`, which web servers and wikis decode, and characters that are not there or not seen.
 */
const ILLEGAL = /[<>:"`/\\|?*#^[\]%\p{Cc}\p{Co}\p{Cs}\p{Cn}\uFFFD]+/gu

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu

/** Hidden or passed over, on Unix (`.`), in Docusaurus and wikis (`_`), in offices (`~`), or taken for a flag (`-`). */
const BAD_START = /^[\s._~-]+/

/** Windows drops dots and spaces at the end. */
const BAD_END = /[\s.-]+$/

/** Endings of files that have a folder with the same name beside them. */
const FILE_ENDING = /(?:\.(?:md|markdown|html?))+$/i

/** Names of devices of Windows, with anything after a dot, and of git on file systems with short names. */
const RESERVED = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³]|git~[0-9]+)(?=\s*(?:\.|$))/i

/**
 * A title as the name of a file or folder that people read, legal on Linux, macOS and Windows: case and spaces stay, a run of
 * illegal characters becomes `-`, or ` - ` between words. Two titles may have one name.
 */
export function plainName(title: string | null): string {
  const readable = (title ?? '')
    .slice(0, MAX_LOOKED_AT)
    .toWellFormed()
    .normalize('NFC')
    .replace(INVISIBLE, '')
    .replace(/[\s\p{Z}]+/gu, ' ')
    .replace(ILLEGAL, '\0')
    .replace(/ ?\0[\0 ]*/g, (run) => (run.includes(' ') ? ' - ' : '-'))
    .normalize('NFC')
  const name = ended(cutToBytes(ended(readable.replace(BAD_START, '')), MAX_NAME_BYTES))
  if (name === '') return UNTITLED
  return name.replace(RESERVED, '$&_')
}

/** Removes endings that a name must not have; removing one may expose another. */
function ended(text: string): string {
  let name = text
  for (let before = ''; before !== name; ) {
    before = name
    name = name.replace(BAD_END, '').replace(FILE_ENDING, '')
  }
  return name
}
