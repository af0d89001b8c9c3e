import type { ListedKind } from '../format.ts'
import { type LinkRewriter, missingIssue, tooLongIssue } from '../link-rewriter.ts'
import type { ListedIssue } from '../tree/head.ts'
import type { ShownComment } from '../views/comments.ts'

/** A text of a record, whose links are rewritten; issues are reported with its stream, key and field. */
interface RecordText {
  readonly text: string
  readonly stream: 'pages' | 'posts' | ListedKind
  readonly recordKey: string
  readonly field: string
}

/** Rewrites the links of texts of a project, and gathers where they lead. */
export class Texts {
  readonly #rewriter: LinkRewriter
  readonly #pid: string
  readonly #report: (issue: ListedIssue) => void
  /** The addresses that were looked up. */
  readonly links = new Set<string>()

  constructor(rewriter: LinkRewriter, pid: string, report: (issue: ListedIssue) => void) {
    this.#rewriter = rewriter
    this.#pid = pid
    this.#report = report
  }

  /** The text with its links rewritten for the file `path`, relative to `data/`. */
  async rewrite({ text, stream, recordKey, field }: RecordText, path: string): Promise<string> {
    const pid = this.#pid
    const rewritten = await this.#rewriter.rewrite(text, { pid, path })
    if (rewritten.tooLong) this.#report(tooLongIssue(pid, stream, recordKey, field, text.length))
    for (const url of rewritten.links) this.links.add(url)
    for (const url of rewritten.missing) this.#report(missingIssue(pid, stream, recordKey, field, url))
    return rewritten.text
  }

  /** The comments of a post, file or task with their links rewritten. */
  async rewriteComments(
    comments: readonly ShownComment[],
    { stream, recordKey: id }: Pick<RecordText, 'stream' | 'recordKey'>,
    path: string,
  ): Promise<ShownComment[]> {
    const rewritten: ShownComment[] = []
    for (const comment of comments) {
      const text = { text: comment.text, stream, recordKey: `${id} ${comment.cid}`, field: 'raw_message' }
      rewritten.push({ ...comment, text: await this.rewrite(text, path) })
    }
    return rewritten
  }
}
