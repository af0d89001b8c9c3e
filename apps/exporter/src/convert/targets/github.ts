import { secondOf, type Target } from '../target.ts'

const MAX_LABEL = 50
/** Characters of a body; GitHub refuses more than 65,536. */
const MAX_BODY = 65_000

/** Bodies of `POST /repos/OWNER/REPO/import/issues`: https://gist.github.com/jonmagic/5282384165e0f86ef105 */
export const github: Target = {
  title: 'GitHub',
  tasks: {
    maxTitle: 256,
    maxAssignees: 1,
    fields: new Set(['group', 'state', 'created', 'updated', 'labels', 'comments']),
    rows: ({ task, title, text, group, labels, assignees, comments }) => {
      const [body = '', ...rest] = pieces(text)
      const isClosed = task.completed || task.archived
      const createdAt = timeOf(task.createdAt)
      const [updatedAt, closedAt] = [timeOf(task.updatedAt), isClosed ? timeOf(task.completedAt) : null]
      const names = [...(group === null ? [] : [group]), ...labels].map((label) => label.trim().slice(0, MAX_LABEL))
      const issue = {
        title,
        body,
        ...(createdAt && { created_at: createdAt }),
        ...(updatedAt && { updated_at: updatedAt }),
        ...(closedAt && { closed_at: closedAt }),
        ...(assignees[0] && { assignee: assignees[0] }),
        closed: isClosed,
        labels: [...new Set(names.filter((name) => name !== ''))],
      }
      const said = comments.flatMap((comment) => {
        const at = timeOf(comment.createdAt)
        return pieces(comment.text).map((piece) => ({ ...(at && { created_at: at }), body: piece }))
      })
      const continued = rest.map((piece) => ({ ...(createdAt && { created_at: createdAt }), body: piece }))
      return [{ issue, comments: [...continued, ...said] }]
    },
  },
}

function timeOf(time: string | null): string | null {
  return secondOf(time)?.replace(' ', 'T').concat('Z') ?? null
}

/** A text in parts that fit into a body each; what does not fit goes into comments. */
function pieces(text: string): string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const isPair = /[\ud800-\udbff]/.test(text.charAt(at + MAX_BODY - 1))
    const end = at + MAX_BODY - Number(isPair)
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}
