import type { ComponentProps, ReactNode } from 'react'
import { Link } from 'react-router'
import { shell } from '#messages/shell.ts'
import { classNames } from '../icon/class-names.ts'
import { Icon } from '../icon/Icon.tsx'
import type { IconName } from '../icon/icons.ts'

interface ButtonStyle {
  look?: 'primary' | 'secondary' | 'ghost' | undefined
  /** 52 px high, for the actions of a form. */
  big?: boolean | undefined
  /** As wide as its container. */
  wide?: boolean | undefined
  icon?: IconName | undefined
  iconAfter?: IconName | undefined
}

const buttonClass = ({ look = 'secondary', big, wide }: ButtonStyle, className?: string): string =>
  classNames('button', `button-${look}`, big && 'button-big', wide && 'button-wide', className)

function ButtonContent({
  icon,
  iconAfter,
  children,
}: Pick<ButtonStyle, 'icon' | 'iconAfter'> & { children: ReactNode }) {
  return (
    <>
      {icon && <Icon name={icon} />}
      {children}
      {iconAfter && <Icon name={iconAfter} />}
    </>
  )
}

type ButtonProps = ButtonStyle & ComponentProps<'button'> & { processing?: boolean | undefined }

/** Button. `processing` shows 'Processing...', keeps the focus and ignores further presses. */
export function Button({ look, big, wide, icon, iconAfter, processing, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={buttonClass({ look, big, wide }, className)}
      {...rest}
      {...(processing ? { 'aria-disabled': true, onClick: (event) => event.preventDefault() } : {})}
    >
      <ButtonContent icon={processing ? undefined : icon} iconAfter={processing ? undefined : iconAfter}>
        {processing ? shell.processing : children}
      </ButtonContent>
    </button>
  )
}

type LinkButtonProps = ButtonStyle & ComponentProps<typeof Link>

/** Link to another page of the product that looks like a button. */
export function LinkButton({ look, big, wide, icon, iconAfter, className, children, ...rest }: LinkButtonProps) {
  return (
    <Link className={buttonClass({ look, big, wide }, className)} {...rest}>
      <ButtonContent icon={icon} iconAfter={iconAfter}>
        {children}
      </ButtonContent>
    </Link>
  )
}

type IconButtonProps = ComponentProps<'button'> & { icon: IconName; label: string }

/** Square button that shows only an icon; `label` is its accessible name. */
export function IconButton({ icon, label, className, ...rest }: IconButtonProps) {
  return (
    <button type="button" className={classNames('button button-square', className)} aria-label={label} {...rest}>
      <Icon name={icon} />
    </button>
  )
}
