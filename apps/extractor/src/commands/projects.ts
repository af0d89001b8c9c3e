import { defineCommand, EXIT, formatTable, plainText } from '@collab-etl/cli'
import { messageOfAccounts } from '@collab-etl/core'
import { type ListedProject, projectsOfService, projectsOfWarehouse } from '../projects/list.ts'
import { SUMMARIES } from './summaries.ts'

export const projects = defineCommand({
  ...SUMMARIES.projects,
  examples: [
    ['projects', 'id, name, role and counts of every project'],
    ['projects --groups', 'with the task groups and their ids, as restore and webhooks need them'],
    ['projects --from warehouse --json', 'as the last snapshot stored them, for scripts'],
  ],
  options: {
    groups: { type: 'boolean', default: false, describe: 'lists the task groups of each project' },
    from: { choices: ['api', 'warehouse'], describe: 'the service or what is stored [default: api]' },
  },
  settings: ['service', 'warehouse'],
  needsNoToken: ({ from }) => from === 'warehouse',
  async run(context, { groups, from = 'api' }) {
    const { listed, failures } =
      from === 'api' ? await projectsOfService(context, groups) : await projectsOfWarehouse(context, groups)
    const { stdout, log } = context
    for (const failure of failures) log.warn(`${messageOfAccounts([failure])}; what only this account lists is missing`)
    stdout.document({ projects: listed.map((project) => documentOf(project, groups)) })
    if (listed.length === 0) stdout.line('No projects.')
    else stdout.line(groups ? groupTable(listed, stdout.columns) : projectTable(listed, stdout.columns))
    return failures.length === 0 ? EXIT.ok : EXIT.partial
  },
})

function documentOf({ groups, ...project }: ListedProject, withGroups: boolean) {
  return withGroups ? { ...project, groups } : project
}

function projectTable(listed: readonly ListedProject[], width: number | undefined): string {
  const areNamed = listed.some(({ accounts }) => accounts !== undefined)
  const columns = [
    { header: 'pid', isWhole: true },
    'name',
    'role',
    { header: 'members' },
    { header: 'tasks' },
    ...(areNamed ? ['accounts'] : []),
  ]
  const rows = listed.map(({ pid, name, role, members, tasks, accounts = [] }) => {
    return [pid, plainText(name), role, members, tasks, ...(areNamed ? [accounts.join(', ')] : [])]
  })
  return formatTable(columns, rows, { width })
}

/** One line per task group; a project without any has a line of its own. */
function groupTable(listed: readonly ListedProject[], width: number | undefined): string {
  const columns = [
    { header: 'pid', isWhole: true },
    'project',
    { header: 'entry_id', isWhole: true },
    'task group',
    { header: 'tasks' },
  ]
  const rows = listed.flatMap(({ pid, name, groups }) => {
    const shown = groups.length === 0 ? [{ entry_id: null, name: '', tasks: null }] : groups
    return shown.map((group) => [pid, plainText(name), group.entry_id, plainText(group.name), group.tasks])
  })
  return formatTable(columns, rows, { width })
}
