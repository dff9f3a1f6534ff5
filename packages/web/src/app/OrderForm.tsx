import type { ComponentProps, ReactNode } from 'react'
import { Button } from '../ui/forms/Button.tsx'
import { ActionBar } from '../ui/layout/ActionBar.tsx'
import { OrderNote } from './orders/OrderNote.tsx'
import { Form } from './forms/Form.tsx'
import type { useOrderForm } from './use-order-form.ts'

/** Text of the action bar: the effect of the button, or the missing input. */
export type BarLines = Pick<ComponentProps<typeof ActionBar>, 'title' | 'detail' | 'isBusy'>

interface OrderFormProps extends Pick<ComponentProps<typeof OrderNote>, 'texts' | 'unknownTitle' | 'refused'> {
  form: Pick<ReturnType<typeof useOrderForm>, 'state' | 'submitCount' | 'isLocked' | 'submit'>
  className?: string
  /** Button labels: before an order, and after one with unknown outcome. */
  action: string
  again: string
  icon?: ComponentProps<typeof Button>['icon']
  /** Set on a full-page form, whose button becomes a bar at the foot of the screen on phones. */
  bar?: BarLines | undefined
  /** Payment methods are loading, so no order can be sent yet. */
  isAwaited?: boolean
  /** The browser is leaving for another page. */
  isRedirecting?: boolean
  aside?: ReactNode
  footer?: ReactNode
  children: ReactNode
}

/** Fields of an order, its outcome, and the button that sends it. */
export function OrderForm({ form, className = 'form-beside', bar, aside, footer, children, ...props }: OrderFormProps) {
  const { action, again, icon, isAwaited, isRedirecting = false, ...note } = props
  const { state } = form
  const button = (
    <Button
      look="primary"
      big
      type="submit"
      icon={icon}
      processing={isRedirecting || state.status === 'sending'}
      aria-disabled={isAwaited || undefined}
    >
      {state.status === 'unknown' ? again : action}
    </Button>
  )
  return (
    <Form className={className} submitCount={form.submitCount} onSubmit={form.submit}>
      <div className="grid gap-6">
        <fieldset className="grid gap-6" disabled={form.isLocked}>
          {children}
        </fieldset>
        {footer}
        <OrderNote state={state} {...note} />
      </div>
      {aside && <aside>{aside}</aside>}
      {bar ? <ActionBar {...bar}>{button}</ActionBar> : <div className="form-actions">{button}</div>}
    </Form>
  )
}
