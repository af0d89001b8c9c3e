import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

// Preloaded into a command with `node --import`: leaves the addresses of the modules that it loaded where the test asks for them.
const addresses = []
registerHooks({
  load(url, context, next) {
    addresses.push(url)
    return next(url, context)
  },
})
process.on('exit', () => writeFileSync(process.env['COLLAB_TEST_MODULES_FILE'], addresses.join('\n')))
