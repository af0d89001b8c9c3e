import { defineCommand } from '@collab-etl/cli'
import { RUN_FLAGS } from '../config/flags.ts'
import { refuseOtherPlaces } from '../run/trial.ts'
import { SUMMARIES } from './summaries.ts'

const { format, verify, quiet } = RUN_FLAGS

export const trial = defineCommand({
  ...SUMMARIES.trial,
  examples: [
    ['trial', 'a warehouse and a backup of sample data, below ./collab-sample'],
    ['trial --format html', 'with the backup as a website'],
  ],
  options: { format, verify, quiet },
  // address and token of a service are not used
  settings: ['warehouse'],
  onInterrupt: 'finished projects are kept',
  async run(context, { quiet: isQuiet, ...flags }) {
    refuseOtherPlaces(context.settings, {})
    const { runTrial } = await import('../run/night.ts')
    return await runTrial(context, flags, isQuiet)
  },
})
