import type { ComponentProps } from 'react'
import { transactions } from '#messages/transactions.ts'
import { Dialog } from '../../../ui/layout/Dialog.tsx'
import { FilterForm } from './FilterForm.tsx'

/** The filter on a narrow screen: a sheet from below, so that it has room. */
export function FilterSheet({ onClose, ...form }: ComponentProps<typeof FilterForm> & { onClose: () => void }) {
  return (
    <Dialog open size="small" title={transactions.filter} onClose={onClose}>
      <div className="mt-3">
        <FilterForm withSort {...form} />
      </div>
    </Dialog>
  )
}
