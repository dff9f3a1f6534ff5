import type { TransferRule } from './decide.ts'

/** Every rule that `decide` asks, in this order. The first that answers decides. */
export const transferRules: readonly TransferRule[] = []
