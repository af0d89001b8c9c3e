import type { Settings } from '@collab-etl/cli'
import { openWarehouse, type Warehouse } from '@collab-etl/warehouse'

/** The warehouse that the settings name. */
export function connectWarehouse({ databaseUrl, dataDir, schema }: Settings): Promise<Warehouse> {
  return openWarehouse({ databaseUrl: databaseUrl?.reveal(), dataDir, schema })
}
