import type { Warehouse, WarehouseOptions } from './api.ts'

/** Opens the warehouse; makes nothing but the embedded one's directory. */
export declare function openWarehouse(options: WarehouseOptions): Promise<Warehouse>
