import { useState } from 'react';
import type { DefaultValues, FieldErrors, FieldValues, Path, Resolver } from 'react-hook-form';
import { useForm } from 'react-hook-form';
import type { ZodMiniType } from 'zod/mini';
import { ApiError, fieldFaults, isCode } from '../api/api-error.ts';
import type { WordKey } from '../language/words.ts';
import { useWords } from '../language/words.ts';

function resolverOf<Values extends FieldValues>(schema: ZodMiniType<Values>): Resolver<Values> {
  return async (values) => {
    const parsed = schema.safeParse(values);
    if (parsed.success) return { values: parsed.data, errors: {} };
    const faults = parsed.error.issues.map(({ path, code, message }) => [String(path[0]), { type: code, message }]);
    // Only a field's first error is shown.
    return { values: {}, errors: Object.fromEntries(faults.toReversed()) as FieldErrors<Values> };
  };
}

const PASSWORD_FAULTS: Record<string, WordKey> = {
  'too-short': 'fault.password.too-short',
  'too-long': 'fault.password.too-long',
  'too-simple': 'fault.password.too-simple',
  'too-common': 'fault.password.too-common',
};

/** Fields of a refusal, with the text of what is expected. */
function faultsOf(cause: ApiError): [field: string, key: WordKey][] {
  const { fault } = cause.details;
  if (cause.code === 'PASSWORD_UNFIT') return [['password', PASSWORD_FAULTS[String(fault)] ?? 'fault.check']];
  if (cause.code === 'METHOD_UNFIT' && fault === 'address') return [['address', 'fault.address']];
  if (cause.code === 'CONTACT_UNFIT') return [[String(cause.details['field']), 'fault.contact']];
  if (cause.code !== 'VALIDATION_ERROR') return [];
  return fieldFaults(cause).map(({ field }) => [field, field === 'mail' ? 'fault.mail' : 'fault.check']);
}

type ApiFormInput<Values extends FieldValues> = {
  schema: ZodMiniType<Values>;
  defaults: DefaultValues<Values>;
  /** Sends the values; errors are shown at their field or above the button. */
  send: (values: Values) => Promise<void>;
};

/** A form for the server. Input is kept whatever happens. */
export function useApiForm<Values extends FieldValues>({ schema, defaults, send }: ApiFormInput<Values>) {
  const t = useWords();
  const [failure, setFailure] = useState<unknown>();
  const form = useForm<Values>({ resolver: resolverOf(schema), defaultValues: defaults });
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async (values) => {
    setFailure(undefined);
    try {
      await send(values);
    } catch (cause) {
      if (isCode(cause, 'CANCELLED')) return;
      const faults = cause instanceof ApiError ? faultsOf(cause) : [];
      const own = faults.filter(([field]) => field in form.getValues());
      for (const [field, key] of own) form.setError(field as Path<Values>, { message: key }, { shouldFocus: true });
      if (own.length === 0) setFailure(cause);
    }
  });
  const field = (name: Path<Values>) => {
    const message = errors[name]?.message;
    return { ...form.register(name), fault: typeof message === 'string' ? t(message as WordKey) : undefined };
  };
  return {
    field,
    submit: (event: { preventDefault(): void }) => void submit(event as never),
    isSubmitting,
    failure,
    form,
  };
}
