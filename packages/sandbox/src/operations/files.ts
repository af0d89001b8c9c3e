import { type Context, found, type Handlers, projectFor } from './handler.ts'

const FILE_MISSING = 800004

export const fileHandlers: Handlers<'files.comments.list' | 'files.get'> = {
  'files.comments.list': (context, { pid, fid }) => fileOf(context, pid, fid).comments,

  // `type` is documented as a string, but sent as a number in the sample; here it is a number.
  'files.get': (context, { pid, fid }) => fileOf(context, pid, fid).file,
}

function fileOf(context: Context, pid: string, fid: string) {
  const { files } = projectFor(context, pid, 'read')
  return found(
    files.find(({ file }) => file.fid === fid),
    FILE_MISSING,
  )
}
