import { PROJECT_NOT_FOUND } from '@collab-etl/contract/errors'
import { membershipIn } from '../store/membership.ts'
import { projectDetail, projectListItem } from '../store/views.ts'
import { type Handlers, projectFor, Refusal } from './handler.ts'

export const projectHandlers: Handlers<'projects.list' | 'projects.get'> = {
  'projects.list': ({ store }) =>
    store.projects.flatMap((project) => projectListItem(project, store.caller) ?? []).sort((a, b) => a.pos - b.pos),

  // A project that is not listed for the caller does not exist; one without rights is an error.
  'projects.get': (context, { pid }) => {
    const project = context.store.find(pid)
    if (!project || !membershipIn(project, context.store.caller)) throw new Refusal(PROJECT_NOT_FOUND)
    return projectDetail(projectFor(context, pid, 'read'))
  },
}
