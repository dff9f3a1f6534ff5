import { shell } from '#messages/shell.ts'
import { Icon } from '../icon/Icon.tsx'
import type { IconName } from '../icon/icons.ts'

const variants: Record<string, { className: string; icon: IconName; label: string }> = {
  COMPLETED: { className: 'chip chip-completed', icon: 'check', label: shell.completed },
  PENDING: { className: 'chip chip-pending', icon: 'clock', label: shell.pending },
  HELD: { className: 'chip chip-pending', icon: 'pause', label: shell.onHold },
  FAILED: { className: 'chip chip-failed', icon: 'cross', label: shell.failed },
  CANCELED: { className: 'chip', icon: 'cross', label: shell.canceled },
  EXPIRED: { className: 'chip', icon: 'clock', label: shell.expired },
  UNDONE: { className: 'chip', icon: 'undo', label: shell.undone },
}

/** State of a transaction as an icon and a word. An unknown state is shown as "Unknown" in a neutral style. */
export function Chip({ status }: { status: string | undefined }) {
  const variant = variants[status ?? ''] ?? { className: 'chip', icon: 'info' as const, label: shell.unknown }
  return (
    <span className={variant.className}>
      <Icon name={variant.icon} />
      {variant.label}
    </span>
  )
}
