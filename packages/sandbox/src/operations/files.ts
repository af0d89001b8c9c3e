import { type Context, found, type Handlers, projectFor } from './handler.ts'

const FILE_MISSING = 800004

export const fileHandlers: Handlers<'files.comments.list' | 'files.get'> = {
  'files.comments.list': (context, { pid, fid }) => fileOf(context, pid, fid).comments,

  // `type` is documented as text, while the sample carries a number: stored, and answered, as a number.
  'files.get': (context, { pid, fid }) => fileOf(context, pid, fid).file,
}

function fileOf(context: Context, pid: string, fid: string) {
  const { files } = projectFor(context, pid, 'read')
  return found(
    files.find(({ file }) => file.fid === fid),
    FILE_MISSING,
  )
}
