import { FileChecker } from './check-file.ts'
import type { Damage } from './damage.ts'
import { BAG_FILES } from './format.ts'
import { readTagManifest } from './read-bag.ts'

/** Checks every byte of the tag files of a bag, but not its payload. Memory does not grow with the bag. */
export async function checkTags(bag: string): Promise<Damage[]> {
  const damage: Damage[] = []
  const tags = await readTagManifest(bag, damage)
  const checker = new FileChecker(bag)
  for (const [path, expected] of tags) {
    const { damage: found } = await checker.checkContent(path, expected)
    if (found) damage.push(found)
  }
  if (damage.length === 0 && !tags.has(BAG_FILES.manifest)) {
    damage.push({ kind: 'malformed', path: BAG_FILES.tagManifest, detail: `does not name ${BAG_FILES.manifest}` })
  }
  return damage
}
