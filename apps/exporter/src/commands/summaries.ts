import type { CommandSummary } from '@collab-etl/cli'

/** What the help of the program says about its commands: here, so that the help loads none of them. */
export const SUMMARIES = {
  backup: {
    command: 'backup',
    describe: 'writes one backup of all projects, or of those of --project',
  },
  archive: {
    command: 'archive <backup>',
    describe: 'verifies a backup and writes it into one file, encrypted if requested',
  },
  diff: {
    command: 'diff <before> <after>',
    describe: 'lists the pages, posts, tasks, events and files that differ between two backups; exit code 5 if any do',
  },
  verify: {
    command: 'verify <backup>',
    describe: 'checks every file of a backup against its manifest',
  },
  view: {
    command: 'view <backup>',
    describe: 'shows a backup or archive in the browser, served on this machine only, until Ctrl-C',
  },
  convert: {
    command: 'convert <backup>',
    describe: 'writes the files that another tool imports: Jira, Linear, GitHub, GitLab, Todoist, Notion or Outline',
  },
  list: {
    command: 'list <directory>',
    describe: 'lists the backups of a directory: size, new data, age, state',
  },
  prune: {
    command: 'prune <directory>',
    describe: 'removes the backups that no rule keeps',
  },
  restore: {
    command: 'restore <backup>',
    describe:
      'creates the pages, posts and tasks of a backup in a project; also task groups, comments and events where the service offers it',
  },
} as const satisfies Readonly<Record<string, CommandSummary>>
