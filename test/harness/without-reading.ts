/** The first file of each format, whose beginning says when the data was read. */
const INDEX = /(?:^|\/)(?:markdown\/README\.md|html\/index\.html)$/

/** The time of the data, to which scripts compare due dates. */
const AS_OF = /(?:^|\/)html\/assets\/as-of\.js$/

const LISTS = /(?:^|\/)(?:manifest-sha256|payload-sizes)\.txt$/
/** Their lines in these lists. */
const LINES = /^.* {2}data\/(?:report\.html|markdown\/README\.md|html\/index\.html|html\/assets\/as-of\.js)\n/gm

/**
 * The files of a backup without what the same state does not give again: the report, which compares with the previous backup, and when the data was
 * read.
 */
export function withoutReading(files: ReadonlyMap<string, string>): Map<string, string> {
  const kept = new Map<string, string>()
  for (const [path, text] of files) {
    if (path.endsWith('report.html')) continue
    if (AS_OF.test(path)) kept.set(path, text.replace(/"[^"]*"/, '""'))
    else if (LISTS.test(path)) kept.set(path, text.replace(LINES, ''))
    else kept.set(path, INDEX.test(path) ? text.replace(/The state of .*? UTC(?:<\/time>)?,/, 'The state') : text)
  }
  return kept
}
