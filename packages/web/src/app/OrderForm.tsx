import type { ComponentProps, ReactNode } from 'react'
import { Button } from '../ui/forms/Button.tsx'
import { ActionBar } from '../ui/layout/ActionBar.tsx'
import { OrderNote } from './orders/OrderNote.tsx'
import { Form } from './forms/Form.tsx'
import type { useOrderForm } from './use-order-form.ts'

/** The two lines beside the button of a flow: what it does now, or what is missing. */
export type BarLines = Pick<ComponentProps<typeof ActionBar>, 'title' | 'detail' | 'isBusy'>

interface OrderFormProps extends Pick<ComponentProps<typeof OrderNote>, 'texts' | 'unknownTitle' | 'refused'> {
  form: Pick<ReturnType<typeof useOrderForm>, 'state' | 'submitCount' | 'isLocked' | 'submit'>
  className?: string
  /** What the button says, and what it says after an order whose outcome is unknown. */
  action: string
  again: string
  icon?: ComponentProps<typeof Button>['icon']
  /** The form is a page of its own, whose button is a bar at the foot of phones. */
  bar?: BarLines | undefined
  /** Nothing can be ordered yet: the payment methods are loading. */
  isAwaited?: boolean
  /** The button leads to another page. */
  isLeaving?: boolean
  /** Stands beside the fields. */
  aside?: ReactNode
  /** Stands under the fields. */
  below?: ReactNode
  children: ReactNode
}

/** The fields of an order, its outcome, and the button that sends it. */
export function OrderForm({ form, className = 'form-beside', bar, aside, below, children, ...props }: OrderFormProps) {
  const { action, again, icon, isAwaited, isLeaving = false, ...note } = props
  const { state } = form
  const button = (
    <Button
      look="primary"
      big
      type="submit"
      icon={icon}
      processing={isLeaving || state.status === 'sending'}
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
        {below}
        <OrderNote state={state} {...note} />
      </div>
      {aside && <aside>{aside}</aside>}
      {bar ? <ActionBar {...bar}>{button}</ActionBar> : <div className="form-actions">{button}</div>}
    </Form>
  )
}
