import { keepOwner } from '@collab-etl/lock'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/**
 * The files of an embedded database. What root makes there belongs to the owner of the directory at once: a command that root ran, or that was
 * killed, must leave no file that the owner cannot open.
 */
export class OwnedFiles extends NodeFS {
  override async init(database: PGlite, options: Parameters<NodeFS['init']>[1]): ReturnType<NodeFS['init']> {
    const started = await super.init(database, options)
    const watch = (module: FileModule) => {
      const operations = module.NODEFS.node_ops
      const { mknod } = operations
      operations.mknod = (parent, name, mode, device) => {
        const node = mknod(parent, name, mode, device)
        keepOwner(module.NODEFS.realPath(node))
        return node
      }
    }
    const preRun = [...(started.emscriptenOpts.preRun ?? []), watch] as typeof started.emscriptenOpts.preRun
    return { emscriptenOpts: { ...started.emscriptenOpts, ...(preRun && { preRun }) } }
  }
}

/** What makes files and directories, in the WebAssembly module that PGlite loads. */
interface FileModule {
  readonly NODEFS: {
    readonly node_ops: { mknod: (parent: unknown, name: string, mode: number, device: number) => unknown }
    readonly realPath: (node: unknown) => string
  }
}
