export function work(): never {
  for (;;) performance.now()
}
