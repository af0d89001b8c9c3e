import { writeFileSync } from 'node:fs'

// Preloaded into a command with `node --import`: leaves the peak of its resident memory, in bytes, where the test asks for it.
// Plain JavaScript: the loader of TypeScript would count for 18 MB of it.
process.on('exit', () => {
  const file = process.env['COLLAB_TEST_PEAK_MEMORY_FILE']
  if (file) writeFileSync(file, String(process.resourceUsage().maxRSS * 1024))
})
