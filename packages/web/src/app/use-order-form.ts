import { type DefaultValues, type FieldPath, type FieldValues, useForm } from 'react-hook-form'
import type { MoneyOrders } from './orders/money-order.ts'
import { type FormErrors, createResolver } from './forms/resolver.ts'

interface OrderForm<Values extends FieldValues, Order> {
  order: MoneyOrders<Order>
  start: DefaultValues<Values>
  validate: () => FormErrors
  /** Order in the form; undefined while input is missing. */
  buildOrder: () => Order | undefined
}

/** Form for the orders of a page. Locked while an order is unanswered. */
export function useOrderForm<Values extends FieldValues, Order>(page: OrderForm<Values, Order>) {
  const { order, start, validate, buildOrder } = page
  const form = useForm<Values>({ defaultValues: start, resolver: createResolver(validate), reValidateMode: 'onSubmit' })
  const { errors, submitCount } = form.formState
  const submit = form.handleSubmit(() => {
    const next = buildOrder()
    if (next) order.send(next)
  })
  return {
    form,
    values: form.watch(),
    state: order.state,
    submitCount,
    isLocked: order.pending !== undefined,
    fieldError: (name: FieldPath<Values> | 'root') => errors[name]?.message as string | undefined,
    set<Name extends FieldPath<Values>>(name: Name, value: Values[Name]) {
      form.setValue(name, value)
      form.clearErrors()
      order.clear()
    },
    /** Repeats the unanswered order, else sends the one in the form. */
    submit: () => (order.pending ? order.send(order.pending) : void submit()),
  }
}
