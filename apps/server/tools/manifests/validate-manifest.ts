import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { CronJob } from 'kubernetes-models/batch/v1/CronJob';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Service } from 'kubernetes-models/v1/Service';
import { findUnknownFields } from './find-unknown-fields.ts';

const MODELS = {
  CronJob,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
  StatefulSet,
};
type Kind = keyof typeof MODELS;

/** A manifest of one of the kinds that are used here, with the fields that the API gives it. */
export type Manifest = { [Name in Kind]: ConstructorParameters<(typeof MODELS)[Name]>[0] & { kind: Name } }[Kind] & {
  apiVersion: string;
};

/** Throws unless the API knows every field of the manifest and takes its value. */
export function validateManifest(manifest: Manifest): void {
  const { apiVersion, kind, ...data } = manifest;
  const Model = MODELS[kind] as new (data: unknown) => { apiVersion: string; validate(): void };
  const model = new Model(data);
  const faults = model.apiVersion === apiVersion ? [] : [`${kind} is of ${model.apiVersion}, not of ${apiVersion}`];
  const unknown = findUnknownFields({ ...manifest, apiVersion: model.apiVersion });
  faults.push(...unknown.map((path) => `${path} is not known`));
  if (faults.length > 0) throw new Error(`${manifest.metadata?.name}: ${faults.join(', ')}`);
  model.validate();
}
