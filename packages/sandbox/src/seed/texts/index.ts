import { arabic } from './arabic.ts'
import { chinese } from './chinese.ts'
import { english } from './english.ts'
import { german } from './german.ts'
import { japanese } from './japanese.ts'

/** Languages of the projects, in turn: the first project is in the first language. */
export const LANGUAGES = [english, chinese, german, arabic, japanese] as const
