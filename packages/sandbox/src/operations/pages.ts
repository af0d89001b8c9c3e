import { summaryOf } from '../store/summary.ts'
import { found, type Handlers, projectFor, timestamp } from './handler.ts'

export const pageHandlers: Handlers<'pages.create' | 'pages.list'> = {
  // An unknown parent is answered with "creating … failed".
  'pages.create': (context, { pid, name, content = '', parent_id = '' }) => {
    const { pages } = projectFor(context, pid, 'change')
    if (parent_id !== '') {
      found(
        pages.find((page) => page.page_id === parent_id),
        'failed',
      )
    }
    const time = timestamp(context)
    return context.store.change(pid, (project, owner) => {
      const bare = {
        page_id: context.store.newId(),
        parent_id,
        pid,
        name,
        summary: summaryOf(content),
        created_at: time,
        updated_at: time,
        owner,
        watchers: [owner],
      }
      project.pages.push({ ...bare, content })
      return bare
    })
  },

  'pages.list': (context, { pid }) => {
    projectFor(context, pid, 'read')
    return context.store.list(pid, 'pages')
  },
}
