import { arabic } from './arabic.ts'
import { chinese } from './chinese.ts'
import { english } from './english.ts'
import { german } from './german.ts'
import { japanese } from './japanese.ts'

/** In the order in which projects take turns: the first project is in the first language. */
export const LANGUAGES = [english, chinese, german, arabic, japanese] as const
