import { setImmediate } from 'node:timers/promises'
import { type ListedFiles, oxumOf } from './manifest-reader.ts'
import { LINE_FEED } from './plain-file.ts'
import type { ReuseTasks } from './reuse-tasks.ts'
import type { ReusedFiles } from './reused-files.ts'

/** Files that are linked at once: this blocks the event loop for about 2 ms. */
const BLOCK_FILES = 128

/** Blocks that are sent to the thread at once, so that it does not wait for the next one while the caller links one. */
const SENT_BLOCKS = 2

/**
 * Links files of the previous bag. The thread takes blocks from the beginning; the caller, which would otherwise wait, takes them from the end.
 * @param own links the caller's blocks
 * @param which `each`: every file that can be linked; `all`: all of them or none
 * @returns for each file, whether it was linked
 * @throws BagError `PREVIOUS_CHANGED` if the two lists differ, or errors of the file system; then some files may be linked
 */
export async function linkInBoth(
  files: ListedFiles,
  which: 'each' | 'all',
  { thread, own }: { readonly thread: ReuseTasks; readonly own: ReusedFiles },
): Promise<boolean[]> {
  const blocks = [...blocksOf(files)]
  const results = new Map<number, readonly boolean[]>()
  const all = which === 'all'
  let [next, end, isStopped] = [0, blocks.length, false]
  const link = async (tasks: ReuseTasks, take: () => number) => {
    try {
      while (!isStopped && next < end) {
        const block = take()
        const { linked = [] } = await tasks.run({ kind: 'link', files: blocks[block] ?? files, all })
        results.set(block, linked)
        if (all && linked.includes(false)) isStopped = true
        if (tasks === own) await setImmediate()
      }
    } catch (error) {
      isStopped = true
      throw error
    }
  }
  const sent = Array.from({ length: SENT_BLOCKS }, () => link(thread, () => next++))
  // All must have ended before the caller removes the new bag.
  const ended = await Promise.allSettled([...sent, link(own, () => --end)])
  for (const each of ended) if (each.status === 'rejected') throw each.reason
  if (!isStopped) return blocks.flatMap((_, block) => results.get(block) ?? [])
  for (const [block, linked] of results) if (!linked.includes(false)) own.unlink(blocks[block] ?? files)
  return new Array(oxumOf(files).files).fill(false)
}

/** Whole lines of both lists. */
function* blocksOf({ manifest, sizes }: ListedFiles): Generator<ListedFiles, void, undefined> {
  const [named, sized] = [[...partsOf(manifest)], [...partsOf(sizes)]]
  const none = new Uint8Array()
  for (let at = 0; at < Math.max(named.length, sized.length); at++) {
    yield { manifest: named[at] ?? none, sizes: sized[at] ?? none }
  }
}

function* partsOf(lines: Uint8Array): Generator<Uint8Array, void, undefined> {
  let [start, count] = [0, 0]
  for (let at = lines.indexOf(LINE_FEED); at !== -1; at = lines.indexOf(LINE_FEED, at + 1)) {
    count += 1
    if (count < BLOCK_FILES) continue
    yield lines.subarray(start, at + 1)
    ;[start, count] = [at + 1, 0]
  }
  if (start < lines.length) yield lines.subarray(start)
}
