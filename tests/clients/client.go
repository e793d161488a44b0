// Uses the client that oapi-codegen made: one training estimate, one inference estimate, one plan. usage: client URL
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"client/fleetplan"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answered(expected int, answer *http.Response, body []byte) {
	if answer.StatusCode != expected {
		fmt.Fprintln(os.Stderr, answer.Status, string(body))
		os.Exit(1)
	}
}

func model(name string) (reference fleetplan.ModelReference) {
	must(reference.FromModelReference0(name))
	return
}

func accelerator(name string) *fleetplan.AcceleratorReference {
	reference := new(fleetplan.AcceleratorReference)
	must(reference.FromAcceleratorReference0(name))
	return reference
}

func amount(text string) *fleetplan.Amount {
	quantity := new(fleetplan.Amount)
	must(quantity.FromAmount1(text))
	return quantity
}

func tokens(text string) *fleetplan.TokenDistribution {
	distribution := new(fleetplan.TokenDistribution)
	must(distribution.FromAmount(*amount(text)))
	return distribution
}

func duration(text string) *fleetplan.Duration {
	quantity := new(fleetplan.Duration)
	must(quantity.FromDuration1(text))
	return quantity
}

func main() {
	client, err := fleetplan.NewClientWithResponses(os.Args[1])
	must(err)
	always := context.Background()

	training := fleetplan.TrainingRequest{Model: model("llama-3.1-8b"), Tokens: amount("15T"), Accelerator: accelerator("h100"), DeadlineHours: duration("30d")}
	estimate, err := client.EstimateTrainingWithResponse(always, nil, training)
	must(err)
	answered(http.StatusOK, estimate.HTTPResponse, estimate.Body)
	option := estimate.JSON200.Result.Recommended
	fmt.Printf("training %d %.6f\n", option.GpuCount, option.WallClockHours)

	queries := 600.0
	service := fleetplan.InferenceRequest{Model: model("llama-3.1-8b"), Accelerator: accelerator("h100"), QueriesPerMinute: &queries,
		PromptTokens: tokens("1000"), OutputTokens: tokens("300"), Slo: &fleetplan.Slo{TtftMs: duration("2000"), TpotMs: duration("60")}}
	served, err := client.EstimateInferenceWithResponse(always, nil, service)
	must(err)
	answered(http.StatusOK, served.HTTPResponse, served.Body)
	fmt.Printf("inference %d %.6f\n", served.JSON200.Result.Recommended.Replicas, served.JSON200.Result.Recommended.Latency.TtftMs.P50)

	plan, err := client.CreateTrainingPlanWithResponse(always, nil, training)
	must(err)
	answered(http.StatusCreated, plan.HTTPResponse, plan.Body)
	same, err := client.GetPlanWithResponse(always, plan.JSON201.Id.String(), nil)
	must(err)
	answered(http.StatusOK, same.HTTPResponse, same.Body)
	if same.JSON200.Id != plan.JSON201.Id || same.JSON200.Kind != "training" {
		must(fmt.Errorf("another plan"))
	}
	fmt.Printf("plan %d %d\n", plan.JSON201.Result.Recommended.GpuCount, plan.JSON201.Revision)
}
