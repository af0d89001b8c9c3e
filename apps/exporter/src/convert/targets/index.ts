import type { Target } from '../target.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import { jira } from './jira.ts'
import { linear } from './linear.ts'
import { notion } from './notion.ts'
import { outline } from './outline.ts'
import { todoist } from './todoist.ts'

/** The tools, by the names that `--for` takes. */
export const TARGETS = { jira, linear, github, gitlab, todoist, notion, outline } as const satisfies Readonly<
  Record<string, Target>
>

export type TargetName = keyof typeof TARGETS

export const TARGET_NAMES = Object.keys(TARGETS) as readonly TargetName[] // typed as texts
