import { initialsOf } from '../format/format.ts'
import { Icon } from '../icon/Icon.tsx'
import type { IconName } from '../icon/icons.ts'

interface AvatarProps {
  /** A person: shows two letters. Without it, `icon` alone stands for the kind of movement. */
  name?: string | undefined
  icon?: IconName | undefined
}

/** A person's monogram, with the direction of the money on its edge, or the sign of a movement without a person. */
export function Avatar({ name, icon }: AvatarProps) {
  return (
    <span className="avatar" aria-hidden="true" translate="no">
      {name ? initialsOf(name) : icon && <Icon name={icon} />}
      {name && icon && (
        <span className="avatar-direction">
          <Icon name={icon} />
        </span>
      )}
    </span>
  )
}
