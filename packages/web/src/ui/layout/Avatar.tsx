import { monogram } from '../format/format.ts'
import { Icon } from '../icon/Icon.tsx'
import type { IconName } from '../icon/icons.ts'

interface AvatarProps {
  /** Name of a person, shown as two letters. Without it, `icon` shows the kind of movement. */
  name?: string | undefined
  icon?: IconName | undefined
}

/** Monogram of a person, with the direction of the money on its edge, or the icon of a movement without a person. */
export function Avatar({ name, icon }: AvatarProps) {
  return (
    <span className="avatar" aria-hidden="true" translate="no">
      {name ? monogram(name) : icon && <Icon name={icon} />}
      {name && icon && (
        <span className="avatar-direction">
          <Icon name={icon} />
        </span>
      )}
    </span>
  )
}
