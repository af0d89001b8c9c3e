import { createReadStream } from 'node:fs'

/**
 * The lines of a file, each with its line feed, except for the last one if the file does not end in one. Only a
 * line feed ends a line.
 */
export async function* linesOf(path: string): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
    const text: string = rest + chunk
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      yield text.slice(start, end + 1)
      start = end + 1
    }
    rest = text.slice(start)
  }
  if (rest !== '') yield rest
}
