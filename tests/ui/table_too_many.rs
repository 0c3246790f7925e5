mod gsi {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
    #[dynamo(gsi(gsi00, pk = "g0"))]
    #[dynamo(gsi(gsi01, pk = "g1"))]
    #[dynamo(gsi(gsi02, pk = "g2"))]
    #[dynamo(gsi(gsi03, pk = "g3"))]
    #[dynamo(gsi(gsi04, pk = "g4"))]
    #[dynamo(gsi(gsi05, pk = "g5"))]
    #[dynamo(gsi(gsi06, pk = "g6"))]
    #[dynamo(gsi(gsi07, pk = "g7"))]
    #[dynamo(gsi(gsi08, pk = "g8"))]
    #[dynamo(gsi(gsi09, pk = "g9"))]
    #[dynamo(gsi(gsi10, pk = "g10"))]
    #[dynamo(gsi(gsi11, pk = "g11"))]
    #[dynamo(gsi(gsi12, pk = "g12"))]
    #[dynamo(gsi(gsi13, pk = "g13"))]
    #[dynamo(gsi(gsi14, pk = "g14"))]
    #[dynamo(gsi(gsi15, pk = "g15"))]
    #[dynamo(gsi(gsi16, pk = "g16"))]
    #[dynamo(gsi(gsi17, pk = "g17"))]
    #[dynamo(gsi(gsi18, pk = "g18"))]
    #[dynamo(gsi(gsi19, pk = "g19"))]
    #[dynamo(gsi(gsi20, pk = "g20"))]
    pub struct Shop;
}

mod lsi {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
    #[dynamo(lsi(lsi0, sk = "l0"))]
    #[dynamo(lsi(lsi1, sk = "l1"))]
    #[dynamo(lsi(lsi2, sk = "l2"))]
    #[dynamo(lsi(lsi3, sk = "l3"))]
    #[dynamo(lsi(lsi4, sk = "l4"))]
    #[dynamo(lsi(lsi5, sk = "l5"))]
    pub struct Shop;
}

fn main() {}
